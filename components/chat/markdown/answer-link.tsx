import type { ReactNode } from 'react'
import textStyles from '@/components/ui/text.module.css'
import { readLinkTarget, tellsPlace } from './link-target'

interface AnswerLinkProps {
  href: string
  /** The visible text of `children`. */
  text: string
  children: ReactNode
}

/** A link that a model wrote: it opens apart, tells the other side nothing, and says where it leads. */
export function AnswerLink({ href, text, children }: AnswerLinkProps) {
  const target = readLinkTarget(href)
  if (!target) return children
  return (
    <>
      <a href={target.href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
      {!tellsPlace(text, target) && (
        // By itself: marks of direction before it would write it backwards.
        <bdi className={textStyles.aside} dir="ltr" data-not-copied>
          {' '}
          ({target.place})
        </bdi>
      )}
    </>
  )
}
