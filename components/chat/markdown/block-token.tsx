import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import { isList } from './block-reader'
import { CodeBlock } from './code-block'
import { Formula } from './formula'
import { InlineTokens, plainText } from './inline-tokens'
import styles from './markdown.module.css'
import { MarkdownTable } from './markdown-table'
import { isMath } from './math-syntax'
import { withOffsets } from './with-offsets'

// Blocks stand in list items and quotations, which are blocks: one file, because they need each other.

interface BlockTokenProps {
  token: Token
  /** Of a heading: how deep it stands in the answer, from 1. */
  headingDepth?: number
  finished: boolean
}

/** An answer stands below the page's and the chat's own headings: its first level is the third here. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const

export function BlockToken({ token, headingDepth = 1, finished }: BlockTokenProps): ReactNode {
  if (isList(token)) return <MarkdownList list={token} finished={finished} />
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading': {
      const Heading = HEADINGS[headingDepth - 1] ?? 'h6'
      return <Heading dir="auto">{inline(token)}</Heading>
    }
    case 'paragraph':
    case 'text':
      return <p dir="auto">{inline(token)}</p>
    case 'code':
      return isCode(token) ? (
        <CodeBlock code={token.text} language={token.lang ?? ''} finished={finished} />
      ) : null
    case 'blockquote':
      return (
        <blockquote dir="auto">
          <BlockTokens tokens={token.tokens ?? []} finished={finished} />
        </blockquote>
      )
    case 'hr':
      return <hr />
    case 'math':
      return isMath(token) ? <Formula math={token} /> : null
    case 'table':
      return isTable(token) ? <MarkdownTable table={token} /> : null
    default:
      return <p dir="auto">{token.raw}</p>
  }
}

/** Blocks inside a quote or a list item. */
function BlockTokens({ tokens, finished }: { tokens: readonly Token[]; finished: boolean }) {
  return withOffsets(tokens, ({ raw }) => raw.length).map(({ item, offset }) => (
    <BlockToken key={offset} token={item} finished={finished} />
  ))
}

interface MarkdownListProps {
  list: Tokens.List
  finished: boolean
}

function MarkdownList({ list, finished }: MarkdownListProps) {
  const items = withOffsets(list.items, ({ raw }) => raw.length).map(({ item, offset }) => (
    <li key={offset} className={item.task ? styles.task : undefined}>
      {item.task && (
        <input
          type="checkbox"
          aria-label={itemName(item)}
          checked={item.checked === true}
          readOnly
          disabled
        />
      )}
      <ItemContent item={item} finished={finished} />
    </li>
  ))
  if (!list.ordered) return <ul dir="auto">{items}</ul>
  return (
    <ol dir="auto" start={list.start === '' ? undefined : list.start}>
      {items}
    </ol>
  )
}

/** Its words, without the lists inside it. */
function itemName({ tokens }: Tokens.ListItem): string {
  const words = tokens.filter(({ type }) => type === 'text' || type === 'paragraph')
  return words.map(plainText).join(' ').trim()
}

/** A tight item's text stands without a paragraph around it. */
function ItemContent({ item, finished }: { item: Tokens.ListItem; finished: boolean }) {
  return withOffsets(item.tokens, ({ raw }) => raw.length).map(({ item: token, offset }) =>
    token.type === 'text' || token.type === 'checkbox' ? (
      <InlineTokens key={offset} tokens={[token]} />
    ) : (
      <BlockTokens key={offset} tokens={[token]} finished={finished} />
    ),
  )
}

function inline(token: Token): ReactNode {
  return <InlineTokens tokens={'tokens' in token && token.tokens ? token.tokens : [plain(token)]} />
}

function plain(token: Token): Tokens.Text {
  return { type: 'text', raw: token.raw, text: token.raw, escaped: true }
}

function isCode(token: Token): token is Tokens.Code {
  return token.type === 'code' && 'text' in token
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table' && 'rows' in token
}
