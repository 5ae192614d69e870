import text from '@/components/ui/text.module.css'
import styles from './refill.module.css'

interface RefillNameProps {
  /** Whose words they are. */
  label: string
  name: string | null
}

/** What a link is for. Somebody wrote it: nothing but text, whichever way it runs. */
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
