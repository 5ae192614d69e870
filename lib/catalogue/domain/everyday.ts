/** Three words of English are four tokens; other languages need somewhat more. */
export const WORDS_PER_TOKEN = 3 / 4

/** An everyday answer, about 300 words: what prices are compared by, and estimates reckon with where nothing is known. */
export const EVERYDAY_ANSWER_TOKEN_COUNT = 400

/** Length of an everyday question with a little history. */
export const EVERYDAY_QUESTION_TOKEN_COUNT = 300

/** What a model that can be asked to think usually thinks before it answers, where nobody has asked. */
export const THOUGHT_TOKEN_COUNT = 1_500

/** So long an answer is paid for in advance where no length is asked for: long, and small enough to be held for. */
export const UNASKED_ANSWER_TOKEN_COUNT = 16_384
