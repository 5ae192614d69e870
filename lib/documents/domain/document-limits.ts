/** As file managers count them, and as the limits are told. */
export const BYTES_PER_MEGABYTE = 1_000_000
/** The largest file that is read: far more than a book as text, and little enough for a phone's memory. */
export const FILE_BYTES_MAX = 20 * BYTES_PER_MEGABYTE
/**
 * The largest file that is sent to the model as it is, a third larger as base64: within what providers accept in one
 * request (20 MB and more) together with the conversation, and below what our API reads.
 */
export const WHOLE_FILE_BYTES_MAX = 10 * BYTES_PER_MEGABYTE
/** For all files of one request, before base64; the API reads 32 MB. */
export const WHOLE_FILES_BYTES_MAX = 20 * BYTES_PER_MEGABYTE
/** More pages than fit in any model's context as text. */
export const PAGE_COUNT_MAX = 300
/** About 125,000 tokens of English, as common models' contexts hold. The rest is left out, and the person is told. */
export const TEXT_LENGTH_MAX = 500_000
/** 300 dense pages take a few seconds on a phone; anything longer is stuck, perhaps on purpose. */
export const READ_TIMEOUT_MS = 30_000
/** As many as fit on a phone's screen above the keyboard. */
export const DOCUMENT_COUNT_MAX = 5
/** Real names are shorter; file systems limit them to 255 bytes. */
export const NAME_LENGTH_MAX = 100
