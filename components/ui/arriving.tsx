import { useTranslations } from 'next-intl'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'

interface Waiting {
  /** Stands in its place until it is there. */
  meanwhile?: ReactNode
  /** Stands there once it could not be fetched. */
  otherwise?: ReactNode
}

/**
 * A part of the page whose code arrives when it is wanted. Without the network the page around it stays as it
 * is, where `lazy` would take it down: the part is asked for again when the network is back, or when it is
 * wanted the next time. (Turbopack remembers some chunks as lost until the page is loaded anew.)
 *
 * @param told says in its place that it could not be fetched: for what somebody has asked for
 */
export function arriving<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  told?: 'told',
): ComponentType<Props & Waiting> {
  let arrived: ComponentType<Props> | null = null
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each part, beside the imports
  return function Arriving({ meanwhile = null, otherwise, ...props }: Props & Waiting) {
    const [Part, setPart] = useState(() => arrived)
    const [isLost, setLost] = useState(false)
    const isThere = Part !== null
    useEffect(() => {
      if (isThere) return
      let isWanted = true
      const take = (part: ComponentType<Props>) => {
        arrived = part
        if (isWanted) setPart(() => part)
      }
      const ask = () => void load().then(take, () => isWanted && setLost(true))
      ask()
      window.addEventListener('online', ask)
      return () => {
        isWanted = false
        window.removeEventListener('online', ask)
      }
    }, [isThere])
    if (Part) return <Part {...(props as unknown as Props)} />
    return isLost ? (otherwise ?? (told ? <LostPart /> : meanwhile)) : meanwhile
  }
}

function LostPart() {
  return <p role="alert">{useTranslations('errors')('network')}</p>
}
