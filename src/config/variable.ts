/** The environment variable of a setting: `MAX_PAGE_SIZE` for `maxPageSize`. */
export const toVariable = (setting: string): string =>
  setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
