import styles from './money.module.css'

interface MoneyProps {
  /** Formatted already (lib/money/format-money). */
  text: string
  className?: string
}

/** An amount of money, in tabular figures so that it does not dance when it changes. */
export function Money({ text, className }: MoneyProps) {
  return <span className={className ? `${styles.money} ${className}` : styles.money}>{text}</span>
}
