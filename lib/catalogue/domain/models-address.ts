import { isOpenRouter } from './is-open-router'

/** OpenRouter lists only models with text output unless others are requested. */
export function modelsAddress(baseUrl: string): string {
  return `${baseUrl}/models${isOpenRouter(baseUrl) ? '?output_modalities=text,image,embeddings' : ''}`
}
