'use client'

import { Markdown } from '@/components/chat/markdown/markdown'

interface OperatorTextProps {
  text: string
}

/** What the operator wrote, by the same rules as what a model wrote: HTML in it is text. */
export function OperatorText({ text }: OperatorTextProps) {
  return <Markdown text={text} streaming={false} />
}
