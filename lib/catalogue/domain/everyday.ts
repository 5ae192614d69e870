/** Three words of English are four tokens; other languages need somewhat more. */
export const WORDS_PER_TOKEN = 3 / 4

/** An everyday answer, about 300 words: for comparing prices, and for estimates without anything better. */
export const EVERYDAY_ANSWER_TOKEN_COUNT = 400

/** An everyday question with a little history. */
export const EVERYDAY_QUESTION_TOKEN_COUNT = 300

/** The usual reasoning tokens of a model that can reason, if no effort is requested. */
export const THOUGHT_TOKEN_COUNT = 1_500

/** The output limit if the request has none: long, and still cheap enough to hold for. */
export const DEFAULT_ANSWER_TOKEN_COUNT = 16_384
