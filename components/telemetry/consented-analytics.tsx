'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { ForeignFrame } from '@/components/ui/foreign-frame'
import { useStore } from '@/components/ui/use-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { openArea } from '@/lib/local/storage/storage-area'
import { ANALYTICS_ASKED_KEY } from '@/lib/local/storage/storage-keys'
import { whenIdle } from '@/lib/local/when-idle'
import { pageOfPath } from '@/lib/telemetry/page-address'
import { useAnalyticsConsent, writeAnalyticsConsent } from './analytics-consent'

const IDLE_TIMEOUT_MS = 4_000

interface ConsentedAnalyticsProps {
  /** Of the page that carries the tag, on an origin of its own. */
  address: string
  question: string
  allow: string
}

/**
 * The analytics tag in a frame of its own origin, for whoever has allowed it. The question is asked once
 * the page rests, in the passing notice; silence is a no, and so is a browser that says so itself.
 */
export function ConsentedAnalytics({ address, question, allow }: ConsentedAnalyticsProps) {
  const { origin } = new URL(address)
  const consent = useAnalyticsConsent(origin)
  const [isResting, setResting] = useState(false)
  const hasAsked = useRef(false)
  const isNoticeFree = useStore(noticeStore).hidden
  useEffect(() => whenIdle(() => setResting(true), IDLE_TIMEOUT_MS), [])
  useEffect(() => {
    // What somebody is just being told matters more.
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

/** Told of each page by a message: `{type: 'page_view', page}`, the page's address without its query. */
function AnalyticsFrame({ address, origin }: { address: string; origin: string }) {
  const frameRef = useRef<HTMLIFrameElement>(null)
  const [isLoaded, setLoaded] = useState(false)
  // All conversations are one page, and which of them is open stays here.
  const page = pageOfPath(usePathname())
  useEffect(() => {
    if (!isLoaded) return
    const address = `${window.location.origin}${page}`
    frameRef.current?.contentWindow?.postMessage({ type: 'page_view', page: address }, origin)
  }, [isLoaded, page, origin])
  return <ForeignFrame ref={frameRef} hidden title="" address={address} onLoad={() => setLoaded(true)} />
}

/** Whether this visit was asked; it counts as asked from now on. */
function wasAsked(): boolean {
  const session = openArea('sessionStorage')
  if (session.getItem(ANALYTICS_ASKED_KEY) !== null) return true
  try {
    session.setItem(ANALYTICS_ASKED_KEY, '1')
  } catch {
    // No room: the next page asks once more.
  }
  return false
}
