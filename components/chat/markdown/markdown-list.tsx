import type { Tokens } from 'marked'
import { BlockTokens } from './block-tokens'
import { InlineTokens } from './inline-tokens'
import styles from './markdown.module.css'
import { withOffsets } from './with-offsets'

interface MarkdownListProps {
  list: Tokens.List
  finished: boolean
}

export function MarkdownList({ list, finished }: MarkdownListProps) {
  const items = withOffsets(list.items, ({ raw }) => raw.length).map(({ item, offset }) => (
    <li key={offset} className={item.task ? styles.task : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} readOnly disabled />}
      <ItemContent item={item} finished={finished} />
    </li>
  ))
  return list.ordered ? <ol start={list.start === '' ? undefined : list.start}>{items}</ol> : <ul>{items}</ul>
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
