'use client'

import { Markdown } from '@/components/chat/markdown/markdown'

interface OperatorTextProps {
  text: string
}

/** The operator's text, rendered by the same rules as a model's: HTML in it is shown as text. */
export function OperatorText({ text }: OperatorTextProps) {
  return <Markdown text={text} streaming={false} />
}
