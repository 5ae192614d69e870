'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { ForeignFrame } from '@/components/ui/foreign-frame'
import { useStore } from '@/components/ui/use-store'
import { whenIdle } from '@/components/ui/when-idle'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { openArea } from '@/lib/local/storage/storage-area'
import { ANALYTICS_ASKED_KEY, ANALYTICS_CONSENT_KEY } from '@/lib/local/storage/storage-keys'
import { createTextStore } from '@/lib/local/storage/text-store'
import { pageOfPath } from '@/lib/telemetry/domain/page-address'

const IDLE_TIMEOUT_MS = 4_000

/** Holds the origin that was allowed: an operator who takes another service asks again. */
const consentStore = createTextStore(guardedStorage, ANALYTICS_CONSENT_KEY, text => text)

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
  const consent = useStore(consentStore)
  const [isResting, setResting] = useState(false)
  useEffect(() => whenIdle(() => setResting(true), IDLE_TIMEOUT_MS), [])
  const isAllowed = consent === origin && !refusesTracking()
  useEffect(() => {
    if (!isResting || isAllowed || refusesTracking() || wasAsked()) return
    noticeStore.show('info', question, {
      label: allow,
      run: () => {
        consentStore.write(origin)
        noticeStore.hide()
      },
    })
  }, [isResting, isAllowed, origin, question, allow])
  return isResting && isAllowed ? <AnalyticsFrame address={address} origin={origin} /> : null
}

/** Told of each page by a message: `{type: 'page_view', page}`, the page's address without its query. */
function AnalyticsFrame({ address, origin }: { address: string; origin: string }) {
  const frameRef = useRef<HTMLIFrameElement>(null)
  const [isLoaded, setLoaded] = useState(false)
  const pathname = usePathname()
  useEffect(() => {
    if (!isLoaded) return
    const page = `${window.location.origin}${pageOfPath(pathname)}`
    frameRef.current?.contentWindow?.postMessage({ type: 'page_view', page }, origin)
  }, [isLoaded, pathname, origin])
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

/** Global Privacy Control or Do Not Track. */
function refusesTracking(): boolean {
  return Reflect.get(navigator, 'globalPrivacyControl') === true || navigator.doNotTrack === '1'
}
