import text from '@/components/ui/text.module.css'
import styles from './refill.module.css'

interface RefillNameProps {
  /** Says whose text it is. */
  label: string
  name: string | null
}

/** The purpose of a link. A stranger may have written it, so it is plain text of either direction. */
export function RefillName({ label, name }: RefillNameProps) {
  if (name === null) return null
  return (
    <div>
      <p className={text.note}>{label}</p>
      <p dir="auto" className={styles.name}>
        {name}
      </p>
    </div>
  )
}
