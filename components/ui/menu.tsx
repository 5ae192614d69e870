'use client'

import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { IconButton } from './icon-button'
import styles from './menu.module.css'

interface MenuItem {
  label: string
  /** The price, or another fact to know before choosing. */
  detail?: ReactNode
  /** An `Icon`. */
  icon?: ReactNode
  onChoose: () => void
}

interface MenuProps {
  label: string
  /** An `Icon`. */
  icon: ReactNode
  /** A function, called when the menu opens, so that the items are not computed for every message. */
  items: () => readonly MenuItem[]
  /** The shortcut that presses the button. */
  shortcut?: string
}

/** A button that opens a short list of actions. The list is above everything, and closes on any other interaction. */
export function Menu({ label, icon, items, shortcut }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const buttonRef = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpen(false)
    buttonRef.current?.focus()
  }
  return (
    <>
      <IconButton
        ref={buttonRef}
        size="small"
        label={label}
        icon={icon}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        data-shortcut={shortcut}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <MenuList
          id={id}
          label={label}
          items={items()}
          button={buttonRef.current}
          onDismiss={() => setOpen(false)}
          onClose={close}
        />
      )}
    </>
  )
}

interface MenuListProps {
  id: string
  label: string
  items: readonly MenuItem[]
  button: HTMLElement | null
  onDismiss: () => void
  onClose: () => void
}

/** The gap between the button and the list, in pixels. */
const GAP = 4

function MenuList({ id, label, items, button, onDismiss, onClose }: MenuListProps) {
  const listRef = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const list = listRef.current
    if (!list) return
    // Into the top layer if the browser has popovers; elsewhere it is fixed above the page.
    list.showPopover?.()
    if (button) placeBeside(list, button.getBoundingClientRect())
    list.querySelector('button')?.focus({ preventScroll: true })
  }, [button])

  useEffect(() => {
    const dismiss = () => {
      // The focus would otherwise be lost with the list.
      if (listRef.current?.contains(document.activeElement)) button?.focus({ preventScroll: true })
      onDismiss()
    }
    const dismissOutside = ({ target }: Event) => {
      const isInside =
        target instanceof Node && (listRef.current?.contains(target) || button?.contains(target))
      if (!isInside) dismiss()
    }
    const dismissIfMoved = ({ target }: Event) => {
      if (target instanceof Node && target.contains(button)) dismiss()
    }
    const listening = new AbortController()
    const { signal } = listening
    document.addEventListener('pointerdown', dismissOutside, { signal })
    document.addEventListener('scroll', dismissIfMoved, { capture: true, signal })
    window.addEventListener('resize', dismiss, { signal })
    return () => listening.abort()
  }, [button, onDismiss])

  const onKeyDown = (event: KeyboardEvent) => {
    const buttons: (Element | null)[] = [...(listRef.current?.querySelectorAll('button') ?? [])]
    const index = buttons.indexOf(document.activeElement)
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key]
    if (target !== undefined) {
      event.preventDefault()
      const next = buttons.at(target % buttons.length)
      if (next instanceof HTMLElement) next.focus()
    }
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault()
      event.stopPropagation()
      onClose()
    }
  }

  return (
    <div
      ref={listRef}
      id={id}
      role="menu"
      aria-label={label}
      popover="manual"
      className={styles.menu}
      onKeyDown={onKeyDown}
    >
      {items.map(({ label: itemLabel, detail, icon, onChoose }) => (
        <button
          key={itemLabel}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className={styles.item}
          onClick={() => {
            onClose()
            onChoose()
          }}
        >
          {icon}
          <span className={styles.label}>{itemLabel}</span>
          {detail && <span className={styles.detail}>{detail}</span>}
        </button>
      ))}
    </div>
  )
}

/** Places the list below the button, else above it, or over it if neither fits; never outside the window. */
function placeBeside(list: HTMLElement, button: DOMRect): void {
  const { width, height } = list.getBoundingClientRect()
  const below = button.bottom + GAP
  const above = button.top - GAP - height
  const lowest = window.innerHeight - GAP - height
  const left = Math.max(GAP, Math.min(button.left, window.innerWidth - width - GAP))
  list.style.left = `${left}px`
  list.style.top = `${below > lowest && above > 0 ? above : Math.min(below, lowest)}px`
}
