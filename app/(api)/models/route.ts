export { GET } from '@/app/(api)/v1/models/route'
