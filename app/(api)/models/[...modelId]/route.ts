export { GET } from '@/app/(api)/v1/models/[...modelId]/route'
