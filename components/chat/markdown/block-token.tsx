import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import { isList } from './block-reader'
import { BlockTokens } from './block-tokens'
import { CodeBlock } from './code-block'
import { InlineTokens } from './inline-tokens'
import { MarkdownList } from './markdown-list'
import { MarkdownTable } from './markdown-table'

interface BlockTokenProps {
  token: Token
  finished: boolean
}

/** An answer stands below the page's own headings: its first level is the third here. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const

export function BlockToken({ token, finished }: BlockTokenProps): ReactNode {
  if (isList(token)) return <MarkdownList list={token} finished={finished} />
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading': {
      const Heading = HEADINGS[isHeading(token) ? token.depth - 1 : 0] ?? 'h6'
      return <Heading>{inline(token)}</Heading>
    }
    case 'paragraph':
    case 'text':
      return <p>{inline(token)}</p>
    case 'code':
      return isCode(token) ? (
        <CodeBlock code={token.text} language={token.lang ?? ''} finished={finished} />
      ) : null
    case 'blockquote':
      return (
        <blockquote>
          <BlockTokens tokens={token.tokens ?? []} finished={finished} />
        </blockquote>
      )
    case 'hr':
      return <hr />
    case 'table':
      return isTable(token) ? <MarkdownTable table={token} /> : null
    default:
      return <p>{token.raw}</p>
  }
}

function inline(token: Token): ReactNode {
  return <InlineTokens tokens={'tokens' in token && token.tokens ? token.tokens : [plain(token)]} />
}

function plain(token: Token): Tokens.Text {
  return { type: 'text', raw: token.raw, text: token.raw, escaped: true }
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading' && 'depth' in token
}

function isCode(token: Token): token is Tokens.Code {
  return token.type === 'code' && 'text' in token
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table' && 'rows' in token
}
