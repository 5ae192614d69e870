import type { Token } from 'marked'
import type { ReactNode } from 'react'
import { AnswerImage } from './answer-image'
import { AnswerLink } from './answer-link'
import { decodeEntities } from './decode-entities'
import { Formula } from './formula'
import styles from './markdown.module.css'
import { isMath } from './math-syntax'
import { withOffsets } from './with-offsets'

/** The one HTML tag that means something here: models use it for line breaks inside table cells. */
const LINE_BREAK_TAG = /^<br\s*\/?>$/i

export function InlineTokens({ tokens }: { tokens: readonly Token[] }) {
  return withOffsets(tokens, ({ raw }) => raw.length).map(({ item, offset }) => (
    <InlineToken key={offset} token={item} />
  ))
}

/** HTML is shown as the text it is: there is no case that turns it into elements. */
function InlineToken({ token }: { token: Token }): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{children(token)}</strong>
    case 'em':
      return <em>{children(token)}</em>
    case 'del':
      return <del>{children(token)}</del>
    case 'codespan':
      return <code className={styles.code}>{textOf(token)}</code>
    case 'math':
      return isMath(token) ? <Formula math={token} /> : token.raw
    case 'br':
      return <br />
    case 'link':
      return (
        <AnswerLink href={hrefOf(token)} text={plainText(token)}>
          {children(token)}
        </AnswerLink>
      )
    case 'image':
      return <AnswerImage href={hrefOf(token)} alt={decodeEntities(textOf(token))} />
    case 'html':
      return LINE_BREAK_TAG.test(token.raw.trim()) ? <br /> : token.raw
    case 'checkbox':
      return null
    case 'escape':
      return textOf(token)
    case 'text':
      if (token.tokens) return children(token)
      return 'escaped' in token && token.escaped ? textOf(token) : decodeEntities(textOf(token))
    default:
      return token.raw
  }
}

function children(token: Token): ReactNode {
  return 'tokens' in token && token.tokens ? <InlineTokens tokens={token.tokens} /> : textOf(token)
}

/** What the reader sees of a link, to be compared with where it leads; or of anything else inline. */
export function plainText(token: Token): string {
  if ('tokens' in token && token.tokens && token.tokens.length > 0) {
    return token.tokens.map(plainText).join('')
  }
  return decodeEntities(textOf(token))
}

function textOf(token: Token): string {
  return 'text' in token && typeof token.text === 'string' ? token.text : token.raw
}

/** Character references in an address are resolved before it is judged; in a bare one they are literal. */
function hrefOf(token: Token): string {
  const href = 'href' in token && typeof token.href === 'string' ? token.href : ''
  return 'autolink' in token && token.autolink === true ? href : decodeEntities(href)
}
