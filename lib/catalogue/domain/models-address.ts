import { isOpenRouter } from './is-open-router'

/** OpenRouter lists models that answer in words alone, unless it is asked for others as well. */
export function modelsAddress(baseUrl: string): string {
  return `${baseUrl}/models${isOpenRouter(baseUrl) ? '?output_modalities=text,image,embeddings' : ''}`
}
