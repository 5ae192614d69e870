'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { ForeignFrame } from '@/components/ui/foreign-frame'
import { useStore } from '@/components/ui/use-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { keepInTab, keptInTab } from '@/lib/local/storage/storage-area'
import { ANALYTICS_ASKED_KEY } from '@/lib/local/storage/storage-keys'
import { whenIdle } from '@/lib/local/when-idle'
import { pageOfPath } from '@/lib/telemetry/page-address'
import { useAnalyticsConsent, writeAnalyticsConsent } from './analytics-consent'

const IDLE_TIMEOUT_MS = 4_000

interface ConsentedAnalyticsProps {
  /** The address of the page with the tag, on an origin of its own. */
  address: string
  question: string
  allow: string
}

/**
 * The analytics tag in a frame of its own origin, for people who have consented. The question is asked once the page is
 * idle, as a notice. No reaction means no, and so does a browser setting against tracking.
 */
export function ConsentedAnalytics({ address, question, allow }: ConsentedAnalyticsProps) {
  const { origin } = new URL(address)
  const consent = useAnalyticsConsent(origin)
  const [isResting, setResting] = useState(false)
  const hasAsked = useRef(false)
  const isNoticeFree = useStore(noticeStore).hidden
  useEffect(() => whenIdle(() => setResting(true), IDLE_TIMEOUT_MS), [])
  useEffect(() => {
    // Another notice that is being shown matters more.
    if (!isResting || !isNoticeFree || consent !== 'not-asked' || hasAsked.current || wasAsked()) return
    hasAsked.current = true
    noticeStore.show('info', question, {
      label: allow,
      run: () => {
        writeAnalyticsConsent(origin, true)
        noticeStore.hide()
      },
    })
  }, [isResting, isNoticeFree, consent, origin, question, allow])
  return isResting && consent === 'given' ? <AnalyticsFrame address={address} origin={origin} /> : null
}

/** Receives each page view as a message: `{type: 'page_view', page}`, the page's address without its query. */
function AnalyticsFrame({ address, origin }: { address: string; origin: string }) {
  const frameRef = useRef<HTMLIFrameElement>(null)
  const [isLoaded, setLoaded] = useState(false)
  // All conversations count as one page, and which one is open is not revealed.
  const page = pageOfPath(usePathname())
  useEffect(() => {
    if (!isLoaded) return
    const address = `${window.location.origin}${page}`
    frameRef.current?.contentWindow?.postMessage({ type: 'page_view', page: address }, origin)
  }, [isLoaded, page, origin])
  return <ForeignFrame ref={frameRef} hidden title="" address={address} onLoad={() => setLoaded(true)} />
}

/** Whether this visit was asked already; marks it as asked. */
function wasAsked(): boolean {
  if (keptInTab(ANALYTICS_ASKED_KEY) !== null) return true
  // Without room for the mark, the next page asks again.
  keepInTab(ANALYTICS_ASKED_KEY, '1')
  return false
}
