'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import styles from './countdown.module.css'
import { formatRemaining } from './format-remaining'

interface CountdownProps {
  expiresAtSeconds: number
}

const TICK_MS = 1000

/** Time left to pay. Not a live region: a reader who asks hears it, nobody is told every second. */
export function Countdown({ expiresAtSeconds }: CountdownProps) {
  const t = useTranslations('topUp')
  const [nowMs, setNowMs] = useState<number | null>(null)
  useEffect(() => {
    const tick = () => setNowMs(Date.now())
    tick()
    const timer = setInterval(tick, TICK_MS)
    return () => clearInterval(timer)
  }, [])
  if (nowMs === null) return <p className={styles.countdown}>&nbsp;</p>
  const remainingSeconds = Math.max(0, Math.ceil(expiresAtSeconds - nowMs / 1000))
  return (
    <p className={styles.countdown}>
      {remainingSeconds > 0 ? t('payWithin', { time: formatRemaining(remainingSeconds) }) : t('timeIsOver')}
    </p>
  )
}
