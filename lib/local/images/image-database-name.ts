/** The specification's name (section 3); apart from the store, so that asking whether there is one is cheap. */
export const IMAGE_DATABASE_NAME = 'image-urls-db'
