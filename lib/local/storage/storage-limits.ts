/**
 * The quota that browsers give one origin, and the size at which we warn. Browsers count UTF-16 code units against it,
 * so a text's size here is its `length`.
 */
export const STORAGE_BYTES_MAX = 5_242_880
export const STORAGE_WARNING_BYTES = 4_718_592

/** How many copies per key are set aside; a further damaged value stays where it is. */
export const DAMAGED_COPY_COUNT_MAX = 5
