import { useTranslations } from 'next-intl'
import { useEffect, useId, useRef } from 'react'
import { Button } from '@/components/ui/button'
import { Money, useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { askedPriceStore } from './asked-price'
import styles from './shortage-notice.module.css'

/** Asks for consent to a price above the message box. Nothing else is blocked, and Escape means no. */
export function PriceQuestion() {
  const t = useTranslations('chat')
  const common = useTranslations('common')
  const { about } = useMoney()
  const asked = useStore(askedPriceStore)
  const id = useId()
  const yesRef = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (asked === null) return
    const before = document.activeElement
    yesRef.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [asked])
  if (asked === null) return null
  return (
    <div
      className={styles.notice}
      role="group"
      aria-labelledby={id}
      onKeyDown={event => {
        if (event.key === 'Escape') asked.answer(false)
        // Holding down the key that sent the message must not answer the question.
        if (event.repeat) event.preventDefault()
      }}
    >
      <p id={id} className={styles.title}>
        {t.rich(asked.about === 'price' ? 'priceQuestion' : `limits.${asked.about}`, {
          price: about(asked.usd, asked.about === 'price' ? undefined : 'ceil'),
          total: about(asked.totalUsd, 'ceil'),
          nowrap: price => <Money text={price} />,
        })}
      </p>
      <div className={styles.answers}>
        <Button ref={yesRef} size="small" onClick={() => asked.answer(true)}>
          {t('priceAccepted')}
        </Button>
        <Button variant="quiet" size="small" onClick={() => asked.answer(false)}>
          {common('cancel')}
        </Button>
      </div>
    </div>
  )
}
