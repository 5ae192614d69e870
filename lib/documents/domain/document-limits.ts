export const BYTES_PER_MEGABYTE = 1024 * 1024
/** Read at most: far above a book as text, and little enough for a phone's memory. */
export const FILE_BYTES_MAX = 20 * BYTES_PER_MEGABYTE
/**
 * A file that goes to the model whole, as base64 a third larger: what providers take in one request
 * (20 MB and more), with the conversation beside it, and below what our API reads.
 */
export const WHOLE_FILE_BYTES_MAX = 10 * BYTES_PER_MEGABYTE
/** All files of one request together, before base64; the API reads 32 MB. */
export const WHOLE_FILES_BYTES_MAX = 20 * BYTES_PER_MEGABYTE
/** More pages than any model's context holds as text. */
export const PAGE_COUNT_MAX = 300
/** About 125,000 tokens of English: what common models' contexts hold. The rest is left out, and that is told. */
export const TEXT_LENGTH_MAX = 500_000
/** 300 dense pages take some seconds on a phone; what takes longer is stuck, or made to be. */
export const READ_TIMEOUT_MS = 30_000
/** As many as fit on a phone's screen above the keyboard. */
export const DOCUMENT_COUNT_MAX = 5
/** Names beyond this are no names; file systems stop at 255 bytes. */
export const NAME_LENGTH_MAX = 100
