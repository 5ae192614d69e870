'use client'

import useSWR from 'swr'
import { callApiForJson, fieldOf, textOf } from '@/lib/http/client/call-api'

/** Stands in a snippet until the list is there, or where it cannot be had. */
const PLACEHOLDER = 'MODEL_ID'

/** A model that this site offers, so that a copied snippet runs as it is. */
export function useExampleModel(): string {
  const { data } = useSWR<string | null, unknown>('/v1/models?type=chat', loadFirstModelId)
  return data ?? PLACEHOLDER
}

async function loadFirstModelId(path: string): Promise<string | null> {
  const models = fieldOf(await callApiForJson({ method: 'GET', path }), 'data')
  return Array.isArray(models) ? textOf(models[0], 'id') : null
}
