import type { Token } from 'marked'
import type { Key, ReactElement, ReactNode } from 'react'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'
import { AnswerImage } from './answer-image'
import { AnswerLink } from './answer-link'
import { decodeEntities } from './decode-entities'
import { Formula } from './formula'
import styles from './markdown.module.css'
import { isMath } from './math-syntax'

/** The only HTML tag that is interpreted: models use it for line breaks inside table cells. */
const LINE_BREAK_TAG = /^<br\s*\/?>$/i

const DRAWN_TYPES = new Set(['image', 'math'])

/** Creates an element whose children are identified by position, since in a text that grows at its end none moves. */
export function element(
  type: Parameters<typeof jsxs>[0],
  props: Readonly<Record<string, unknown>>,
  children: readonly ReactNode[],
  key?: Key,
): ReactElement {
  // A single child is passed by itself, which costs React less.
  if (children.length === 1) return jsx(type, { ...props, children: children[0] }, key)
  return jsxs(type, { ...props, children }, key)
}

/**
 * Renders inline tokens, by functions rather than components: an answer has thousands of tokens, and each component
 * would stay in memory beside its element. HTML is shown as text, since no case here makes elements of it.
 */
export function inlineNodes(tokens: readonly Token[], isInsideLink = false): ReactNode[] {
  return tokens.map(token => inlineNode(token, isInsideLink))
}

function inlineNode(token: Token, isInsideLink: boolean): ReactNode {
  const children = () =>
    'tokens' in token && token.tokens ? inlineNodes(token.tokens, isInsideLink) : [textOf(token)]
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return element(token.type, {}, children())
    case 'codespan':
      // Between words that run from right to left, its brackets would change places.
      return (
        <code dir="auto" className={styles.code}>
          {textOf(token)}
        </code>
      )
    case 'math':
      return isMath(token) ? <Formula math={token} /> : token.raw
    case 'br':
      return <br />
    case 'link': {
      const words = token.tokens ? inlineNodes(token.tokens, true) : [textOf(token)]
      const text = isDrawn(token) ? '' : plainText(token)
      return element(AnswerLink, { href: hrefOf(token), text }, words)
    }
    case 'image': {
      const alt = decodeEntities(textOf(token))
      return <AnswerImage href={hrefOf(token)} alt={alt} isInsideLink={isInsideLink} />
    }
    case 'html':
      return LINE_BREAK_TAG.test(token.raw.trim()) ? <br /> : token.raw
    case 'checkbox':
      return null
    case 'escape':
      return textOf(token)
    case 'text':
      if (token.tokens) return token.tokens.length === 1 ? children()[0] : element(Fragment, {}, children())
      return 'escaped' in token && token.escaped ? textOf(token) : decodeEntities(textOf(token))
    default:
      return token.raw
  }
}

/** Whether it contains what may look like anything: only where such a link leads can be said, not what it shows. */
function isDrawn(token: Token): boolean {
  return DRAWN_TYPES.has(token.type) || ('tokens' in token && token.tokens?.some(isDrawn) === true)
}

/** The visible text of an inline token, such as that of a link for comparison with its target. */
export function plainText(token: Token): string {
  if ('tokens' in token && token.tokens && token.tokens.length > 0) {
    return token.tokens.map(plainText).join('')
  }
  return decodeEntities(textOf(token))
}

function textOf(token: Token): string {
  return 'text' in token && typeof token.text === 'string' ? token.text : token.raw
}

/** Character references in an address are decoded before it is checked; in a bare address they are literal. */
function hrefOf(token: Token): string {
  const href = 'href' in token && typeof token.href === 'string' ? token.href : ''
  return 'autolink' in token && token.autolink === true ? href : decodeEntities(href)
}
