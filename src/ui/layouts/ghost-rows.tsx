import css from './ghost-rows.module.css';

/** A computer, a laptop and a smartphone, in outline. */
const devices = ['M3 4h14v9H3zM10 13v3M6.5 16.5h7', 'M4 5h12v8H4zM2 15.5h16', 'M6.5 2.5h7v15h-7zM9.5 15h1'];

/** A decorative preview of a filled list; the text beside it says that the list is empty. */
export const GhostRows = () => (
  <div className={css.rows} aria-hidden="true">
    {devices.map((drawing) => (
      <div key={drawing} className={css.row}>
        <svg viewBox="0 0 20 20" width="1.5rem" height="1.5rem" aria-hidden="true">
          <path d={drawing} />
        </svg>
        <span className={css.name} />
        <span className={css.sign} />
        <span className={css.light} />
      </div>
    ))}
  </div>
);
