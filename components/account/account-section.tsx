import { type ReactNode, useId } from 'react'
import styles from './account-section.module.css'

interface AccountSectionProps {
  title: string
  lead?: ReactNode
  /** For links to the section, such as /account#keys. */
  id?: string
  className?: string
  children: ReactNode
}

/** One part of the account page: a heading, a sentence, and what belongs to it. */
export function AccountSection({ title, lead, id, className, children }: AccountSectionProps) {
  const titleId = useId()
  return (
    <section
      id={id}
      aria-labelledby={titleId}
      className={className ? `${styles.section} ${className}` : styles.section}
    >
      <h2 id={titleId} tabIndex={-1} className={styles.title}>
        {title}
      </h2>
      {lead && <p className={styles.lead}>{lead}</p>}
      <div className={styles.content}>{children}</div>
    </section>
  )
}
