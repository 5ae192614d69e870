import { useTranslations } from 'next-intl'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import text from './text.module.css'

/** A shorter wait goes unnoticed, and what tells of it would only flicker. */
export const PATIENCE_MS = 400

interface LazyPartProps {
  /** Rendered in its place while it loads. */
  fallback?: ReactNode
  /** Rendered in its place if it could not be loaded. */
  errorFallback?: ReactNode
}

/**
 * A part of the page whose code is loaded when it is first rendered. If that fails for lack of a network, the page
 * around it stays, unlike with `lazy`. The part is loaded again when the network is back, or when it is next rendered.
 * (Turbopack treats some chunks as lost until the page is reloaded.)
 *
 * @param withError shows an error in its place if it could not be loaded: for parts that the person asked for
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  withError?: 'with-error',
): ComponentType<Props & LazyPartProps> {
  let loaded: ComponentType<Props> | null = null
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each part, beside the imports
  return function LazyPart({ fallback = null, errorFallback, ...props }: Props & LazyPartProps) {
    const [Part, setPart] = useState(() => loaded)
    const [hasFailed, setFailed] = useState(false)
    const isLoaded = Part !== null
    useEffect(() => {
      if (isLoaded) return
      let isMounted = true
      const onLoaded = (part: ComponentType<Props>) => {
        loaded = part
        if (isMounted) setPart(() => part)
      }
      const tryToLoad = () => void load().then(onLoaded, () => isMounted && setFailed(true))
      tryToLoad()
      window.addEventListener('online', tryToLoad)
      return () => {
        isMounted = false
        window.removeEventListener('online', tryToLoad)
      }
    }, [isLoaded])
    if (Part) return <Part {...(props as unknown as Props)} />
    return hasFailed ? (errorFallback ?? (withError ? <LoadError /> : fallback)) : fallback
  }
}

function LoadError() {
  return (
    <p role="alert" className={text.problem}>
      {useTranslations('errors')('part_missing')}
    </p>
  )
}
