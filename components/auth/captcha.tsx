'use client'

import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ForeignFrame } from '@/components/ui/foreign-frame'
import type { AuthResult } from '@/lib/auth/client/auth-result'
import styles from './auth.module.css'
import { useAuth } from './use-auth'

export interface Captcha {
  /** To be rendered where the person acts. Null until it is needed, and if no captcha is configured. */
  frame: ReactNode
  /** Shows the captcha ahead of the first call that needs it. */
  prepare: () => void
  /** Makes a call with the captcha's token, or fails with an error if the captcha has not been solved yet. */
  withToken: <Data>(
    call: (captchaToken: string | undefined) => Promise<AuthResult<Data>>,
  ) => Promise<AuthResult<Data>>
}

/** Longer than the tokens of all known captcha services. */
const TOKEN_LENGTH_MAX = 8192
const HEIGHT_PX_DEFAULT = 80
const HEIGHT_PX_MAX = 640

/**
 * The operator's captcha: a page of another origin in a frame, where the service's script may run. The frame posts
 * `{type: 'captcha', token, height}`, each field when it has changed. A token is good for one call; after it we post
 * `{type: 'captcha_reset'}`. Nothing is loaded before somebody begins to sign in.
 */
export function useCaptcha(): Captcha {
  const t = useTranslations('auth')
  const address = useAuth().settings.captchaFrameUrl
  const frameRef = useRef<HTMLIFrameElement>(null)
  const tokenRef = useRef<string | null>(null)
  const [isPrepared, setPrepared] = useState(false)
  const [heightPx, setHeightPx] = useState(HEIGHT_PX_DEFAULT)

  useEffect(() => {
    if (!isPrepared || address === undefined) return
    const onMessage = ({ source, origin, data }: MessageEvent) => {
      if (source !== frameRef.current?.contentWindow || origin !== new URL(address).origin) return
      const { type, token, height } = Object(data)
      if (type !== 'captcha') return
      if (token !== undefined) tokenRef.current = isToken(token) ? token : null
      if (Number.isFinite(height)) setHeightPx(Math.min(Math.max(height, 1), HEIGHT_PX_MAX))
    }
    window.addEventListener('message', onMessage)
    return () => window.removeEventListener('message', onMessage)
  }, [isPrepared, address])

  return {
    frame: isPrepared && address !== undefined && (
      <ForeignFrame
        ref={frameRef}
        className={styles.captcha}
        height={heightPx}
        title={t('captchaTitle')}
        address={address}
      />
    ),
    prepare: () => setPrepared(true),
    async withToken(call) {
      if (address === undefined) return call(undefined)
      setPrepared(true)
      const token = tokenRef.current
      if (token === null) return { data: null, error: 'captchaMissing' }
      tokenRef.current = null
      try {
        return await call(token)
      } finally {
        frameRef.current?.contentWindow?.postMessage({ type: 'captcha_reset' }, new URL(address).origin)
      }
    },
  }
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= TOKEN_LENGTH_MAX
}
