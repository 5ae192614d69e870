import { memo, type ReactNode, useMemo, useState } from 'react'
import { useLanguageOf } from '../use-language-of'
import { BlockReader } from './block-reader'
import { blockNode } from './block-token'
import styles from './markdown.module.css'

interface MarkdownProps {
  text: string
  /** More text may follow: unfinished syntax at the end is shown as if it were finished. */
  streaming: boolean
  /** No more follows, but the text breaks off: likewise. */
  isCut?: boolean
}

/** Renders a model's Markdown. HTML is shown as text, and pictures are loaded only on a click. */
export function Markdown({ text, streaming, isCut = false }: MarkdownProps) {
  const [reader] = useState(() => new BlockReader(({ token, ...place }) => blockNode(token, place)))
  const groups = useMemo(() => reader.read(text, streaming, isCut), [reader, text, streaming, isCut])
  // Known after a few words. The key makes them anew: Firefox does not tell screen readers of a language that changes.
  const language = useLanguageOf(text)
  return (
    <div key={language} className={styles.markdown} lang={language} data-answer>
      {groups.map(groupNode)}
    </div>
  )
}

const groupNode = (nodes: readonly ReactNode[], index: number) => <Group key={index} nodes={nodes} />

/** A full group never changes, so React skips it. */
const Group = memo(function Group({ nodes }: { nodes: readonly ReactNode[] }) {
  return nodes
})
