@echo off
rem SPDX-FileCopyrightText: The Gamewire authors
rem SPDX-License-Identifier: GPL-2.0-or-later
rem
rem Copies the plugin for each version of Wireshark, the packs and the profile into the folder of this user's settings.
rem "install.cmd /remove" deletes the plugin and the packs. Needs no rights of an administrator.
setlocal
if "%APPDATA%" == "" goto no_folder
set settings=%APPDATA%\Wireshark
if /i "%~1" == "/remove" goto remove

rem Tables of names and other changes of the user are in the profile.
if not exist "%settings%\profiles\Gamewire" goto copy
xcopy /e /i /q /y "%settings%\profiles\Gamewire" "%settings%\profiles\Gamewire.before" >nul || goto failed
:copy
xcopy /e /i /q /y "%~dp0plugins" "%settings%\plugins" >nul || goto failed
rem Each version of Wireshark loads scripts from this folder.
xcopy /i /q /y "%~dp0packs\*.lua" "%settings%\plugins" >nul || goto failed
xcopy /e /i /q /y "%~dp0profiles" "%settings%\profiles" >nul || goto failed
echo Gamewire is in %settings%. Start Wireshark again, and choose the profile Gamewire at the right end of the status bar.
goto done

:remove
for /f "delims=" %%v in ('dir /b "%settings%\plugins"') do del "%settings%\plugins\%%v\epan\gamewire.dll" 2>nul
for /f "delims=" %%v in ('dir /b "%settings%\plugins"') do if exist "%settings%\plugins\%%v\epan\gamewire.dll" goto failed
for /f "delims=" %%p in ('dir /b "%~dp0packs\*.lua"') do del "%settings%\plugins\%%p" 2>nul
echo The plugin is removed. The profile is still there: Edit, Configuration Profiles.
goto done

:no_folder
echo APPDATA is not set, so there is no folder for a user's own plugins.
exit /b 1
:failed
echo A file could not be copied or deleted: close all windows of Wireshark, and try again.
exit /b 1
:done
if "%~1" == "" pause
exit /b 0
