import { useTranslations } from 'next-intl'
import { useEffect, useId, useRef } from 'react'
import { Button } from '@/components/ui/button'
import layout from '@/components/ui/layout.module.css'
import { Money, useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { askedPriceStore } from './asked-price'
import styles from './shortage-notice.module.css'

/** Asks for consent to a price above the message box. Nothing else is blocked, and Escape means no. */
export function PriceQuestion() {
  const t = useTranslations('chat')
  const common = useTranslations('common')
  const { about } = useMoney()
  const question = useStore(askedPriceStore)
  const id = useId()
  const yesRef = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (question === null) return
    const before = document.activeElement
    yesRef.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [question])
  if (question === null) return null
  return (
    <div
      className={styles.notice}
      role="group"
      aria-labelledby={id}
      onKeyDown={event => {
        if (event.key === 'Escape') question.answer(false)
        // Holding down the key that sent the message must not answer the question.
        if (event.repeat) event.preventDefault()
      }}
    >
      <p id={id} className={styles.title}>
        {t.rich(question.about === 'price' ? 'priceQuestion' : `limits.${question.about}`, {
          price: about(question.usd, question.about === 'price' ? undefined : 'ceil'),
          total: about(question.totalUsd, 'ceil'),
          nowrap: price => <Money text={price} />,
        })}
      </p>
      <div className={layout.row}>
        <Button ref={yesRef} size="small" onClick={() => question.answer(true)}>
          {t('priceAccepted')}
        </Button>
        <Button variant="quiet" size="small" onClick={() => question.answer(false)}>
          {common('cancel')}
        </Button>
      </div>
    </div>
  )
}
