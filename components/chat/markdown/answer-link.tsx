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
        <span className={textStyles.aside} data-not-copied>
          {' '}
          ({target.place})
        </span>
      )}
    </>
  )
}
