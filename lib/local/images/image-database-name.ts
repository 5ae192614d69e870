/** The specification's name; apart from the store, so that asking whether there is one is cheap. */
export const IMAGE_DATABASE_NAME = 'image-urls-db'
