import { memo, useState } from 'react'
import { BlockReader, type MarkdownBlock } from './block-reader'
import { BlockToken } from './block-token'
import styles from './markdown.module.css'

interface MarkdownProps {
  text: string
  /** More may follow: unfinished syntax at the end is shown as if it were finished. */
  streaming: boolean
}

/** A model's Markdown as elements. HTML in it is text, links and pictures wait for a click. */
export function Markdown({ text, streaming }: MarkdownProps) {
  const [reader] = useState(() => new BlockReader())
  return (
    <div className={styles.markdown} data-answer>
      {reader.read(text, streaming).map(group => (
        <Group key={group[0]?.key} blocks={group} />
      ))}
    </div>
  )
}

/** A full group keeps its identity, and is not even looked at again. */
const Group = memo(function Group({ blocks }: { blocks: readonly MarkdownBlock[] }) {
  return blocks.map(block => <Block key={block.key} block={block} />)
})

const Block = memo(
  function Block({ block }: { block: MarkdownBlock }) {
    const { token, headingDepth, finished } = block
    return <BlockToken token={token} headingDepth={headingDepth} finished={finished} />
  },
  (before, after) =>
    before.block.token === after.block.token ||
    (before.block.headingDepth === after.block.headingDepth &&
      before.block.finished === after.block.finished &&
      before.block.token.raw === after.block.token.raw &&
      before.block.token.type === after.block.token.type),
)
