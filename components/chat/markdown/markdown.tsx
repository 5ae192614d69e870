import { memo, type ReactNode, useMemo, useState } from 'react'
import { BlockReader } from './block-reader'
import { blockNode } from './block-token'
import styles from './markdown.module.css'

interface MarkdownProps {
  text: string
  /** More may follow: unfinished syntax at the end is shown as if it were finished. */
  streaming: boolean
}

/** A model's Markdown as elements. HTML in it is text, links and pictures wait for a click. */
export function Markdown({ text, streaming }: MarkdownProps) {
  const [reader] = useState(() => new BlockReader(({ token, ...place }) => blockNode(token, place)))
  const groups = useMemo(() => reader.read(text, streaming), [reader, text, streaming])
  return (
    <div className={styles.markdown} data-answer>
      {groups.map(groupNode)}
    </div>
  )
}

const groupNode = (nodes: readonly ReactNode[], index: number) => <Group key={index} nodes={nodes} />

/** A full group keeps its identity, and is not even looked at again. */
const Group = memo(function Group({ nodes }: { nodes: readonly ReactNode[] }) {
  return nodes
})
