/** How a wall arranges its tiles: all as large as the screen has room for. */
export interface WallGrid {
  readonly columns: number;
  /** Columns and rows of a larger tile. */
  readonly wide: number;
  readonly high: number;
  /** What fits into the other tiles. */
  readonly shows: 'state' | 'name' | 'nothing';
}

interface Wall {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly tiles: number;
  /** Larger ones among them. */
  readonly larger: number;
}

/** The size of a name, as parts of its tile's width and height (`wall.module.css`). */
const [nameOfWidth, nameOfHeight] = [0.115, 0.24];
/** Parts of the screen's shorter side from which a name, or a state below it, can be read from three meters. */
const [readable, roomy] = [0.014, 0.034];

/** The grid whose smallest tiles have the largest names; if nobody could read those, the one with the largest squares. */
export function wallGrid(wall: Wall): WallGrid {
  const named = largest(wall, { wide: 2, high: 2 }, (width, height) =>
    Math.min(width * nameOfWidth, height * nameOfHeight),
  );
  const share = named.size / Math.min(wall.width, wall.height);
  if (share >= readable) return { ...named, shows: share >= roomy ? 'state' : 'name' };
  const side = Math.sqrt((wall.width * wall.height) / (wall.tiles + wall.larger * tilesOfLarger));
  const wide = Math.max(2, Math.ceil(wall.width / largerInRow / side));
  const span = { wide, high: Math.ceil(wide / 2) };
  return { ...largest(wall, span, (width, height) => Math.min(width, height)), shows: 'nothing' };
}

/** Larger tiles between squares: so many beside each other, each as large as about so many squares. */
const [largerInRow, tilesOfLarger] = [7, 18];

function largest(
  { width, height, tiles, larger }: Wall,
  span: Pick<WallGrid, 'wide' | 'high'>,
  sizeIn: (width: number, height: number) => number,
) {
  const cells = tiles + larger * (span.wide * span.high - 1);
  let best = { columns: 1, size: 0 };
  for (let columns = 1; columns <= cells; columns += 1) {
    const size = sizeIn(width / columns, height / Math.ceil(cells / columns));
    if (size > best.size) best = { columns, size };
  }
  return { ...best, ...span };
}
