'use client'

import { CircleQuestionMark } from 'lucide'
import { useId, useState } from 'react'
import { Dialog } from '@/components/ui/dialog'
import { ForeignFrame } from '@/components/ui/foreign-frame'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import styles from './support.module.css'

interface SupportButtonProps {
  /** Of the widget's page. */
  address: string
  label: string
  title: string
  frameTitle: string
  /** Who is behind the widget, and what they are told. */
  note: string
}

/**
 * The widget's page is asked for when somebody reaches for the button, and not before: whoever wants no help
 * stays unknown to who gives it. From then on it stays, so that closing the panel ends no conversation.
 */
export function SupportButton({ address, label, title, frameTitle, note }: SupportButtonProps) {
  const [open, setOpen] = useState(false)
  const dialogId = useId()
  const [isLoaded, setLoaded] = useState(false)
  const load = () => setLoaded(true)
  return (
    <>
      <IconButton
        label={label}
        icon={<Icon icon={CircleQuestionMark} size={20} strokeWidth={1.75} />}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={dialogId}
        onPointerEnter={load}
        onFocus={load}
        onClick={() => {
          load()
          setOpen(true)
        }}
      />
      <Dialog id={dialogId} open={open} onClose={() => setOpen(false)} title={title} keepsContent={isLoaded}>
        <p className={styles.note}>{note}</p>
        <ForeignFrame className={styles.frame} address={address} title={frameTitle} />
      </Dialog>
    </>
  )
}
