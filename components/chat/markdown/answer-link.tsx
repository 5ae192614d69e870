import type { ReactNode } from 'react'
import textStyles from '@/components/ui/text.module.css'
import { namesPlace, readLinkTarget } from './link-target'

interface AnswerLinkProps {
  href: string
  /** The text of `children` as shown. */
  text: string
  children: ReactNode
}

/** A link that a model wrote. It opens in a new tab without a referrer, and shows where it leads. */
export function AnswerLink({ href, text, children }: AnswerLinkProps) {
  const target = readLinkTarget(href)
  if (!target) return children
  return (
    <>
      <a href={target.href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
      {!namesPlace(text, target) && (
        // Isolated, since bidirectional control characters before it could reverse it.
        <bdi className={textStyles.aside} dir="ltr" data-not-copied>
          {' '}
          ({target.place})
        </bdi>
      )}
    </>
  )
}
