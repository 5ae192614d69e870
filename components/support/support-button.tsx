'use client'

import { CircleQuestionMark } from 'lucide'
import { useId, useState } from 'react'
import { Dialog } from '@/components/ui/dialog'
import { ForeignFrame } from '@/components/ui/foreign-frame'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import styles from './support.module.css'

interface SupportButtonProps {
  /** The address of the widget's page. */
  address: string
  label: string
  title: string
  frameTitle: string
  /** Who runs the widget, and what they get to know. */
  note: string
}

/**
 * Loads the widget's page only when the person reaches for the button, so that people who want no help stay unknown to
 * its provider. From then on the page stays, so that closing the panel does not end a conversation.
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
