import type { ComponentPropsWithRef, ReactNode } from 'react'
import styles from './icon-button.module.css'

interface IconButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'children' | 'aria-label'> {
  /** What the button does: its accessible name and its tooltip. */
  label: string
  /** An `Icon`. */
  icon: ReactNode
  size?: 'medium' | 'small'
}

export function IconButton({
  label,
  icon,
  size = 'medium',
  className,
  type = 'button',
  ...rest
}: IconButtonProps) {
  const classes = [styles.iconButton, size === 'small' && styles.small, className].filter(Boolean).join(' ')
  return (
    <button {...rest} type={type} className={classes} aria-label={label} title={label}>
      {icon}
    </button>
  )
}
