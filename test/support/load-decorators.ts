// Loaded before anything else: the CommonJS nestjs-i18n cannot require NestJS while it is loading.
import 'reflect-metadata';
import '@nestjs/common';
import '@nestjs/core';
