import 'server-only'
import { readFileSync } from 'node:fs'
import { SettingsError } from '@/lib/config/settings-error'
import { type OperatorModel, parseModelPrices } from '../domain/parse-model-prices'

/** @throws SettingsError naming MODEL_PRICES_FILE when it cannot be read or a price in it is unusable */
export function readModelPricesFile(path: string | null): ReadonlyMap<string, OperatorModel> {
  if (path === null) return new Map()
  const result = parseModelPrices(readText(path))
  if (result.outcome === 'parsed') return result.models
  throw new SettingsError(
    `MODEL_PRICES_FILE is not valid at ${result.problem}. Expected {"model-id": {"prompt": "0.000001", "completion": "0.000002"}}.`,
  )
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new SettingsError(
      `MODEL_PRICES_FILE names ${path}, which cannot be read: ${(error as Error).message}`,
    )
  }
}
