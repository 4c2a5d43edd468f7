/** The expression that matches the addresses of a page whose path may have parameters, such as `/devices/:id/`. */
export const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
