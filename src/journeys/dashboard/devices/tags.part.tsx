import { Link } from '../../../browser/navigation/navigation.tsx';
import css from './tags.module.css';

/** The page with the devices that have a tag. */
export const addressOfTag = (tag: string): string => `/devices/?tag=${encodeURIComponent(tag)}`;

/** Tags of a device; each is a link to all devices that have it. */
export const Tags = ({ tags }: { tags: readonly string[] }) => (
  <span className={css.tags}>
    {tags.map((tag) => (
      <Link key={tag} to={addressOfTag(tag)} className={css.tag}>
        <bdi>{tag}</bdi>
      </Link>
    ))}
  </span>
);
