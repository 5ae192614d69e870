import { dateFormat } from '@/components/ui/date-format'
import { saveFile } from '@/components/ui/save-file'
import { safeDocumentName } from '@/lib/documents/domain/document-name'
import { conversationTitle } from '@/lib/local/conversations/conversation-text'
import { messageDate } from '@/lib/local/conversations/conversation-time'
import {
  type Conversation,
  documentsOf,
  type Message,
  messageText,
  picturesOf,
} from '@/lib/local/domain/conversation'
import { wholeMessages } from '@/lib/local/domain/whole-answers'
import { resolvePicture } from '@/lib/local/images/pictures'
import { formatMoney } from '@/lib/money/format-money'
import { answerHtml } from './markdown/answer-html'
import { messageSelector } from './turn-versions'

/** The words that a saved conversation contains besides its messages. */
export interface SavedWords {
  readonly locale: string
  readonly you: string
  /** Who answered, if that is not known: conversations of other apps need not name a model. */
  readonly model: string
  readonly picture: string
  readonly drawnPicture: string
  readonly document: string
}

const TYPES = { md: 'text/markdown', html: 'text/html' } as const

/** Downloads the conversation as shown. */
export async function saveConversation(
  conversation: Conversation,
  ending: keyof typeof TYPES,
  words: SavedWords,
): Promise<void> {
  const text =
    ending === 'md' ? conversationMarkdown(conversation, words) : await conversationHtml(conversation, words)
  const name = safeDocumentName(conversationTitle(conversation) || 'chat')
  saveFile(new Blob([text], { type: TYPES[ending] }), `${name}.${ending}`)
}

/** Each message under a heading with its author, time and price; answers in the Markdown that the models wrote. */
export function conversationMarkdown(conversation: Conversation, words: SavedWords): string {
  const parts = spokenOf(conversation).map(message => {
    const attached = [
      ...picturesOf(message).map(() => `*[${pictureName(message, words)}]*`),
      ...documentsOf(message).map(({ name = words.document }) => `*[${oneLine(name)}]*`),
    ]
    const sources = (message.annotations ?? []).map(
      ({ url_citation: { url, title = url } }) =>
        `- [${oneLine(title).replace(/[[\]\\]/g, '\\$&')}](<${url}>)`,
    )
    return [`## ${headOf(message, words)}`, ...attached, messageText(message), sources.join('\n')]
      .filter(Boolean)
      .join('\n\n')
  })
  return `${[`# ${oneLine(conversationTitle(conversation))}`, ...parts].join('\n\n')}\n`
}

/** So that the file loads nothing and runs nothing, whatever its text says. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
const STYLE = `:root{color-scheme:light dark}
body{max-width:44rem;margin:2rem auto;padding:0 1rem;font:1.0625rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}
h2{margin:2.5rem 0 .5rem;font-size:.875rem;font-weight:600;opacity:.7}
pre,table,.wide{display:block;overflow-x:auto}article>div{overflow-x:auto}table{overflow-wrap:normal}pre{padding:1rem;background:#8881;font-size:.875rem}
th,td{padding:.25rem .75rem;border-bottom:1px solid #8884;text-align:start}
img{max-width:100%}.said{white-space:pre-wrap}
@media print{table{overflow-wrap:anywhere}}`

/** A self-contained file: pictures are embedded, and it is built from nodes, so that text stays text. */
export async function conversationHtml(conversation: Conversation, words: SavedWords): Promise<string> {
  const page = document.implementation.createHTMLDocument(conversationTitle(conversation))
  page.documentElement.lang = words.locale
  const add = <Tag extends keyof HTMLElementTagNameMap>(to: Element, tag: Tag, text = '') => {
    const element = page.createElement(tag)
    element.textContent = text
    to.append(element)
    return element
  }
  page.head.prepend(page.createElement('meta'), page.createElement('meta'), page.createElement('meta'))
  const [charset, policy, viewport] = page.head.querySelectorAll('meta')
  charset?.setAttribute('charset', 'utf-8')
  policy?.setAttribute('http-equiv', 'Content-Security-Policy')
  policy?.setAttribute('content', POLICY)
  viewport?.setAttribute('name', 'viewport')
  viewport?.setAttribute('content', 'width=device-width')
  add(page.body, 'h1', conversationTitle(conversation)).dir = 'auto'
  for (const message of spokenOf(conversation)) {
    const article = add(page.body, 'article')
    add(article, 'h2', headOf(message, words))
    for (const url of picturesOf(message)) {
      const source = await resolvePicture(url)
      const name = pictureName(message, words)
      if (source?.startsWith('data:image/')) Object.assign(add(article, 'img'), { src: source, alt: name })
      else add(article, 'p', `[${name}]`)
    }
    for (const { name = words.document } of documentsOf(message)) add(article, 'p', `[${name}]`)
    const shown = message.role === 'assistant' ? shownHtml(message) : null
    const said = add(article, 'div', shown === null ? messageText(message) : '')
    if (shown === null) {
      said.className = 'said'
      said.dir = 'auto'
    } else {
      said.innerHTML = shown
      for (const block of said.querySelectorAll<HTMLElement>(':scope > *, pre'))
        block.dir = block.matches('pre') ? 'ltr' : 'auto'
      // A formula does not scroll by itself. A paragraph takes a span alone.
      for (const formula of said.querySelectorAll('math[display="block"]')) {
        const scroller = page.createElement('span')
        scroller.className = 'wide'
        formula.replaceWith(scroller)
        scroller.append(formula)
      }
    }
    const sources = message.annotations ?? []
    if (sources.length > 0) {
      const list = add(article, 'ul')
      for (const { url_citation: source } of sources) {
        const line = add(list, 'li')
        if (source.title) add(line, 'bdi', source.title)
        line.append(`${source.title ? ' ' : ''}${source.url}`)
      }
    }
  }
  // As text, since the policy of our own page holds for a document that it makes: an inline style would be reported.
  const html = page.documentElement.outerHTML.replace('</head>', `<style>${STYLE}</style></head>`)
  return `<!doctype html>\n${html}\n`
}

/** The answer as rendered on the page, without our controls. */
function shownHtml({ id }: Message): string | null {
  const article = id === undefined ? null : document.querySelector(messageSelector(id))
  return article && answerHtml(article)
}

function spokenOf({ messages }: Conversation): readonly Message[] {
  const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant')
  return wholeMessages(spoken).map(({ message }) => message)
}

function headOf(message: Message, words: SavedWords): string {
  const { role, model, receipt } = message
  const date = messageDate(message)
  const format = dateFormat(words.locale, { dateStyle: 'medium', timeStyle: 'short' })
  // In one line with the price, which a control character in it would turn around.
  const who = role === 'user' ? words.you : (model?.replace(/\p{Bidi_Control}/gu, '') ?? words.model)
  return oneLine(
    [who, date && format.format(date), receipt && formatMoney(receipt.cost_usd, words.locale)]
      .filter(Boolean)
      .join(' · '),
  )
}

/** What is said in place of a picture. */
function pictureName({ role }: Message, words: SavedWords): string {
  return role === 'assistant' ? words.drawnPicture : words.picture
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
