export * from '../dist/gateway.js';
