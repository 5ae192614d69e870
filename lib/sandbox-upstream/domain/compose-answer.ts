import {
  CODE_ANSWER,
  LIST_ANSWER,
  LONG_ANSWER,
  MARKDOWN_ANSWER,
  MATH_ANSWER,
  TABLE_ANSWER,
  TRY_THESE,
} from './answer-texts'
import {
  type CompletionRequest,
  fileNamesOf,
  imageUrlsOf,
  lastMessage,
  promptText,
} from './completion-request'
import { exampleOf } from './example-of'

export interface SandboxAnswer {
  reasoning: string
  text: string
  /** Breaks off with an in-band error after half of the text. */
  failsMidway: boolean
  pace: 'usual' | 'slow' | 'fast'
}

/** Enough to quote a question, but not to copy a book. */
const ECHO_LENGTH_MAX = 600

/** What is shown for the words of a question, in this order. */
const SHOWN: readonly [RegExp, string][] = [
  [/\bmarkdown\b/i, MARKDOWN_ANSWER],
  [/\b(code|function|program)\b/i, CODE_ANSWER],
  [/\btable\b/i, TABLE_ANSWER],
  [/\blist\b/i, LIST_ANSWER],
  [/\b(math|formula|equation)\b/i, MATH_ANSWER],
  [/\blong\b/i, LONG_ANSWER],
]

/** A practice model's answer: it explains itself, shows what it is asked to show, and describes what it received. */
export function composeAnswer(request: CompletionRequest): SandboxAnswer {
  const question = lastMessage(request)
  const prompt = promptText(question)
  const asks = (pattern: RegExp) => pattern.test(prompt)
  const text = asksForJson(request) ? jsonAnswer(request, prompt) : answerInWords(request)
  return {
    reasoning: request.model === 'sandbox/dollar' || asks(/\bthink\b/i) ? reason(request) : '',
    text,
    failsMidway: asks(/\bfail midway\b/i),
    pace: asks(/\bslow(ly)?\b/i) ? 'slow' : asks(/\blong\b/i) ? 'fast' : 'usual',
  }
}

function answerInWords(request: CompletionRequest): string {
  const question = lastMessage(request)
  const prompt = promptText(question)
  if (question.role === 'tool')
    return `The tool answered:\n\n${quote(prompt)}\n\nThat is all I need. Thank you.`
  const seen = [...imageUrlsOf(question).map(describeImage), ...fileNamesOf(question)]
  const shown = SHOWN.filter(([pattern]) => pattern.test(prompt)).map(([, text]) => text)
  if (shown.length > 0) return shown.join('\n')
  return [
    `I am **${request.model}**, a practice model: I come with this site, so that you can try it out before any real model is connected. What I charge is practice money, too.`,
    ...(prompt.trim() === '' ? [] : [`You wrote:\n\n${quote(prompt)}`]),
    ...(seen.length === 0
      ? []
      : [`You sent me ${seen.length === 1 ? 'this' : `${seen.length} things`}:\n\n${bullets(seen)}`]),
    ...(request.messages.length > 2
      ? [`I was sent ${request.messages.length} messages of our conversation.`]
      : []),
    TRY_THESE,
  ].join('\n\n')
}

function reason(request: CompletionRequest): string {
  const { length } = promptText(lastMessage(request))
  return `The question has ${length} characters. I look for a word in it that tells me what to show. A practice model needs no more thought than this, but real ones do, and reasoning is charged as output.`
}

function asksForJson({ response_format: format }: CompletionRequest): boolean {
  return format?.type === 'json_object' || format?.type === 'json_schema'
}

function jsonAnswer({ response_format: format, model }: CompletionRequest, prompt: string): string {
  const schema = format?.json_schema?.schema
  return JSON.stringify(schema ? exampleOf(schema) : { model, you_wrote: prompt.slice(0, ECHO_LENGTH_MAX) })
}

function quote(text: string): string {
  const shortened = text.length > ECHO_LENGTH_MAX ? `${text.slice(0, ECHO_LENGTH_MAX)}…` : text
  return shortened.replace(/^/gm, '> ')
}

function bullets(lines: string[]): string {
  return lines.map(line => `- ${line}`).join('\n')
}

const DATA_URL_PATTERN = /^data:image\/([a-z0-9.+-]{1,20});base64,/i
const PNG_SIGNATURE = 'iVBORw0KGgo'
/** The base64 length of the 24 bytes with a PNG's signature and the start of its header. */
const PNG_HEADER_CHARACTERS = 32

/** What a practice model says about a picture: its format, its size and, for a PNG, its dimensions. */
function describeImage(url: string): string {
  const format = DATA_URL_PATTERN.exec(url)?.[1]
  if (!format) return 'a picture that is somewhere on the web (I do not go and fetch it)'
  const base64 = url.slice(url.indexOf(',') + 1)
  const kilobytes = Math.max(1, Math.round((base64.length * 3) / 4 / 1000))
  return `a ${format.toUpperCase()} picture of ${kilobytes} kB${measuresOf(base64)}`
}

function measuresOf(base64: string): string {
  const header = base64.slice(0, PNG_HEADER_CHARACTERS)
  if (!header.startsWith(PNG_SIGNATURE) || !/^[A-Za-z0-9+/]{32}$/.test(header)) return ''
  const bytes = Uint8Array.from(atob(header), character => character.charCodeAt(0))
  const view = new DataView(bytes.buffer)
  return `, ${view.getUint32(16)} × ${view.getUint32(20)} pixels`
}
