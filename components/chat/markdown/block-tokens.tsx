import type { Token } from 'marked'
import { BlockToken } from './block-token'
import { withOffsets } from './with-offsets'

/** Blocks inside a quote or a list item. */
export function BlockTokens({ tokens, finished }: { tokens: readonly Token[]; finished: boolean }) {
  return withOffsets(tokens, ({ raw }) => raw.length).map(({ item, offset }) => (
    <BlockToken key={offset} token={item} finished={finished} />
  ))
}
