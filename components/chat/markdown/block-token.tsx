import type { Token, Tokens } from 'marked'
import type { Key, ReactNode } from 'react'
import { isList, isTable } from './bounded-lexer'
import { CodeBlock } from './code-block'
import { Formula } from './formula'
import { element, inlineNodes, plainText } from './inline-tokens'
import styles from './markdown.module.css'
import { MarkdownTable } from './markdown-table'
import { isMath } from './math-syntax'

// List items and quotations are blocks that contain blocks, so these functions need each other and share a file.

interface BlockPlace {
  key?: Key
  /** For a heading, its level in the answer, from 1. */
  headingDepth?: number
  finished: boolean
  /**
   * The first block of a quotation or list. Its text determines the direction of the whole, so it has no `dir` of its
   * own.
   */
  leads?: boolean
}

/** An answer is below the headings of the page and the chat, so its first level is h3. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const

const AUTO = { dir: 'auto' } as const

export function blockNode(token: Token, { key, headingDepth = 1, finished, leads }: BlockPlace): ReactNode {
  const direction = leads ? {} : AUTO
  if (isList(token)) return listNode(token, { key, finished, leads })
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return element(HEADINGS[headingDepth - 1] ?? 'h6', direction, inline(token), key)
    case 'paragraph':
    case 'text':
      return element('p', direction, inline(token), key)
    case 'code':
      return isCode(token) ? (
        <CodeBlock key={key} code={token.text} language={token.lang ?? ''} finished={finished} />
      ) : null
    case 'blockquote':
      return element(
        'blockquote',
        direction,
        token.tokens?.map((inner, index) => blockNode(inner, { finished, leads: index === 0 })) ?? [],
        key,
      )
    case 'hr':
      return <hr key={key} />
    case 'math':
      return isMath(token) ? <Formula key={key} math={token} /> : null
    case 'table':
      return isTable(token) ? <MarkdownTable key={key} table={token} /> : null
    default:
      return element('p', direction, [token.raw], key)
  }
}

function listNode(list: Tokens.List, { key, finished, leads }: BlockPlace): ReactNode {
  const start = list.ordered && list.start !== '' ? { start: list.start } : {}
  const items = list.items.map((item, place) => {
    const box = item.task && (
      <input type="checkbox" aria-label={itemName(item)} checked={item.checked === true} readOnly disabled />
    )
    const content = item.tokens.map((token, index) =>
      itemNode(token, { finished, leads: place === 0 && index === 0 }),
    )
    return element('li', item.task ? { className: styles.task } : {}, box ? [box, ...content] : content)
  })
  return element(list.ordered ? 'ol' : 'ul', { ...(leads ? {} : AUTO), ...start }, items, key)
}

/** The text of an item without its nested lists. */
function itemName({ tokens }: Tokens.ListItem): string {
  const words = tokens.filter(({ type }) => type === 'text' || type === 'paragraph')
  return words.map(plainText).join(' ').trim()
}

/** The text of a tight list item has no paragraph around it. */
function itemNode(token: Token, place: BlockPlace): ReactNode {
  const isInline = token.type === 'text' || token.type === 'checkbox'
  return isInline ? inlineNodes([token])[0] : blockNode(token, place)
}

function inline(token: Token): ReactNode[] {
  return 'tokens' in token && token.tokens ? inlineNodes(token.tokens) : [token.raw]
}

function isCode(token: Token): token is Tokens.Code {
  return token.type === 'code' && 'text' in token
}
