'use client'

import { useState } from 'react'
import useSWR from 'swr'
import { useRequest } from '@/components/request/use-request'
import { focusAfterRender } from '@/components/ui/focus'
import { deleteRefillLink, fetchRefillLink, postRefillLink } from '@/lib/api/client/refill'
import type { ShownRefillLink } from '@/lib/api/contracts/refill'
import { fetchErrorCode } from '@/lib/http/client/call-api'
import { refillAddress } from '@/lib/payments/client/refill-address'

type Key = readonly ['refill link', creditId: string]

/**
 * The credit's refill link. Its address is known only right after it was created, since the server stores only a hash.
 */
export function useRefillLink(creditId: string) {
  const { data, error, mutate } = useSWR<ShownRefillLink | null, unknown, Key>(
    ['refill link', creditId],
    ([, credential]) => fetchRefillLink(credential),
    { revalidateOnFocus: false },
  )
  const request = useRequest()
  const [address, setAddress] = useState<string | null>(null)

  const create = (name: string | null) =>
    request.run(async () => {
      const { token, ...link } = await postRefillLink(creditId, name)
      setAddress(refillAddress(window.location.origin, token))
      await mutate(link, { revalidate: false })
    })
  const revoke = () =>
    request.run(async () => {
      await deleteRefillLink(creditId)
      setAddress(null)
      await mutate(null, { revalidate: false })
      // The button that was pressed is gone.
      focusAfterRender('#refill h2')
    })

  return {
    /** Undefined while it loads. */
    link: data,
    address,
    loadErrorCode: fetchErrorCode(error),
    reload: () => void mutate(),
    busy: request.busy,
    errorCode: request.errorCode,
    create,
    revoke,
  }
}
